"""What may be asked about tests of the hardware over the control socket."""

from pi_controller.core.hardware_test.lease import DONE, NO_TEST
from pi_controller.core.hardware_test.reply import Reply
from pi_controller.core.hardware_test.testing import Testing
from pi_controller.language.words import words
from pi_controller.protocol.messages import (
    AskProbe,
    AskTestBegin,
    AskTestEnd,
    AskTestKeep,
    AskWatchTest,
    DoneAnswer,
    LeaseAnswer,
    encode,
    encode_error,
)
from pi_controller.protocol.probes import (
    FREE,
    BusProbe,
    BuzzerProbe,
    DisplayProbe,
    EdgesProbe,
    IdentifyProbe,
    InputsProbe,
    LampProbe,
    OrderProbe,
    Probe,
)
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

TestRequest = AskTestBegin | AskTestKeep | AskTestEnd | AskProbe | AskWatchTest


class TestRequests:
    """Answers these requests."""

    def __init__(self, testing: Testing) -> None:
        self._testing = testing

    def answer(self, client: Client, request: TestRequest) -> None:
        match request:
            case AskTestBegin():
                self._begin(client, request)
            case AskProbe():
                self._probe(client, request)
            case AskTestKeep() | AskTestEnd() | AskWatchTest():
                refusal = self._testing.lease.refusal(request.lease)
                if refusal is not None:
                    client.send(encode_error(request.id, refusal, request.language))
                else:
                    self._go_on(client, request)

    def _begin(self, client: Client, request: AskTestBegin) -> None:
        begun = self._testing.begin(request.who, request.purpose, take=request.take, client=client)
        if isinstance(begun, Sentence):
            told = words(begun, request.language)
            answer = LeaseAnswer(id=request.id, accepted=False, reasons=[told], reason_keys=[view(begun)])
        else:
            answer = LeaseAnswer(id=request.id, accepted=True, lease=begun.token)
        client.send(encode(answer))

    def _go_on(self, client: Client, request: AskTestKeep | AskTestEnd | AskWatchTest) -> None:
        if isinstance(request, AskWatchTest):
            self._testing.watchers.add(client)
            return
        if isinstance(request, AskTestEnd):
            self._testing.lease.end(DONE)
        client.send(encode(DoneAnswer(id=request.id)))

    def _probe(self, client: Client, request: AskProbe) -> None:
        lease, probe = self._testing.lease, request.probe
        if isinstance(probe, FREE):
            reply = Reply(client, request, loop=self._testing.loop)
            reply.do(lambda: self._testing.machine.probe(probe, reply))
            return
        refusal = lease.refusal(request.lease)
        holding = lease.holding
        if refusal is not None or holding is None:
            client.send(encode_error(request.id, refusal or NO_TEST, request.language))
            return
        reply = Reply(
            client,
            request,
            loop=self._testing.loop,
            done=lease.busy(holding),
            valid=lambda: lease.holding is holding,
        )
        reply.do(lambda: self._touch(probe, reply))

    def _touch(self, probe: Probe, reply: Reply) -> None:
        if isinstance(probe, LampProbe | BuzzerProbe | DisplayProbe | InputsProbe | EdgesProbe):
            self._testing.panel.probe(probe, reply)
        elif isinstance(probe, BusProbe | IdentifyProbe | OrderProbe):
            self._testing.bus.probe(probe, reply)
        else:
            self._testing.machine.probe(probe, reply)
