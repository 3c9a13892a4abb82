// A feed that speaks on changes only: an open socket is its sign of life.

import { wayTo } from "./components/language.js";
import { socketAddress } from "./feed.js";

const RETRY_MS = 1_000;
/** The code with which a socket closes when the log-in that opened it has ended. */
export const LOG_IN_ENDED = 4401;

/** @template Message */
export class OpenFeed {
  /** @param {{ path: string, onMessage: (message: Message) => void, onOpen: (open: boolean) => void }} feed */
  constructor({ path, onMessage, onOpen }) {
    this.path = path;
    this.onMessage = onMessage;
    this.onOpen = onOpen;
  }

  /** `onOpen(true)` comes with the first message, `onOpen(false)` at the start and when the line is cut. */
  open() {
    const socket = new WebSocket(socketAddress(this.path));
    this.onOpen(false);
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      this.onOpen(true);
      this.onMessage(message);
    };
    socket.onclose = (event) => {
      this.onOpen(false);
      if (event.code === LOG_IN_ENDED) return location.assign(wayTo(`/login?to=${location.pathname}`));
      setTimeout(() => this.open(), RETRY_MS);
    };
  }
}
