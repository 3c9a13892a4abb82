"""The routes of the technician's self-test and hardware test; they use the director's log-in."""

from functools import partial

from pi_controller.web.api_routes import REFUSALS, get, post, socket
from pi_controller.web.hardware_test import HardwareTest
from pi_controller.web.routes import Route
from pi_controller.web.selftest import Selftest
from pi_controller.web.selftest_reports import Reports

READS = (200, 401, 429)
CHANGES = (200, 408, 409, 422, *REFUSALS)
SOCKETS = (101, 401, 403, 426, 429, 503)


def selftest(selftest: Selftest, reports: Reports) -> tuple[Route, ...]:
    act = partial(post, access="director", answers=CHANGES, answer_schema="change_answer")
    return (
        get(
            path="/api/selftest",
            handler=selftest.snapshot,
            access="director",
            summary="The self-test that runs, or ran last",
            answers=READS,
            answer_schema="selftest",
        ),
        socket(
            path="/api/selftest/feed",
            handler=selftest.socket,
            access="director",
            summary="WebSocket: the self-test at once and on each change",
            answers=SOCKETS,
        ),
        act(
            path="/api/selftest/begin",
            handler=selftest.begin,
            summary="Begin a self-test; what core has against it comes with the self-test's `sentence`",
            body_schema="selftest.begin",
        ),
        act(
            path="/api/selftest/answer",
            handler=selftest.answer,
            summary="Answer the question that stands",
            body_schema="selftest.answer",
        ),
        act(
            path="/api/selftest/mend",
            handler=selftest.mend,
            answers=(*CHANGES, 503),
            summary="Do what mends a finding",
            body_schema="selftest.mend",
        ),
        act(path="/api/selftest/stop", handler=selftest.stop, summary="End the self-test by hand"),
        *_reports(reports),
    )


def hardware(hardware: HardwareTest) -> tuple[Route, ...]:
    return (
        socket(
            path="/api/hardware/feed",
            handler=hardware.socket,
            access="director",
            summary="WebSocket, both ways: holds the hardware test while open; `?take=1` takes it over",
            answers=SOCKETS,
        ),
    )


def _reports(reports: Reports) -> tuple[Route, ...]:
    return (
        get(
            path="/api/selftest/reports",
            handler=reports.list,
            access="director",
            summary="The reports that are kept, newest first",
            answers=(*READS, 503),
            answer_schema="selftest.reports",
        ),
        get(
            path="/api/selftest/reports/{name}",
            handler=reports.report,
            access="director",
            kind="text",
            summary="A report: NAME.json as it is kept, NAME.pdf printed",
            answers=(*READS, 404, 422, 503),
            media_type="*/*",
        ),
    )
