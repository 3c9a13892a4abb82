"""The command line, `pi-controller`.

| Chapter | What it holds |
|---|---|
| `main` | finds a command and ends the program; the menu |
| `usage` | the table of all commands, how one is declared, exit statuses, what an error becomes |
| `completion` | what bash and zsh complete |
| `ask` | arguments from the fields of a message, talking to core |
| `game` | the commands of the game, made from their messages |
| `tables` | `tables`, `table`, `roster` |
| `status` · `voice` | the room picture · loudspeakers and phrases |
| `games` | `journal`, `verify`, `report`, `replay`: earlier games; `restore`, `pair`, `stick`: elsewhere |
| `hall` | `paper`, `power-budget`, `fallback` |
| `access` | `pin`, log-in links, `certificate` |
| `setup` · `questions` | `settings` and `setup` at the terminal · what `setup` asks, into settings |
| `processes` | `core`, `web`, `virtual-tables`, `links`, `safe-outputs`, and their arguments |
| `run` | `run`: the parent of those processes, which starts again who dies |
| `halls` | `links forget`, `promote`, `step-down`, `settle`, and the halls of `run --halls` |
| `broker` · `broker_files` | its tasks, and a try of all rights · the broker's files |
| `bundle` | all that a helper needs to look into a fault, without secrets |
| `firmware` · `firmware_update` | the nodes' firmware onto Picos · over their cables |
| `selftest` · `bench` | coded checks of a hall · figures of this machine |
| `typed` | what somebody types at a console |
"""
