"""The command line, `pi-controller`.

| Chapter | What it holds |
|---|---|
| `main` | finds a command and ends the program |
| `catalogue` | the table of all commands: what the menu says of each, and the chapters that declare it |
| `usage` | how a command is declared, common arguments, exit statuses, what an error becomes |
| `ask` | talking to core |
| `game` | the commands of the game, sent to core |
| `tables` | `tables`, `table`, `roster` |
| `status` · `voice` | the room picture · loudspeakers and phrases |
| `games` | `journal`, `verify`, `report`, `replay`: earlier games from their journals |
| `copies` | `restore`, `pair`, `stick`: games on another device |
| `hall` | `paper`, `power-budget`, `fallback` |
| `access` | `pin`, log-in links, `certificate` |
| `setup` · `questions` | `settings` and `setup` at the terminal · what `setup` asks, into settings |
| `processes` | `core`, `web`, `virtual-tables`, `links`, `safe-outputs`, and their arguments |
| `run` | `run`: the parent of those processes, which starts again who dies |
| `halls` | `links forget`, `promote`, `step-down`, `settle`, and the halls of `run --halls` |
| `broker` · `broker_files` · `broker_check` | its tasks · the broker's files · what each account may do |
| `bundle` | all that a helper needs to look into a fault, without secrets |
| `firmware` | the nodes' firmware onto Picos |
| `selftest` · `bench` | coded checks of a hall · figures of this machine |
| `typed` | what somebody types at a console |
"""
