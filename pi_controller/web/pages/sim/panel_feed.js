// The panel's own feed; it speaks on changes only, so an open socket is the sign of life.

import { socketAddress } from "../feed.js";

const RETRY_MS = 1_000;

export class PanelFeed {
  constructor({ onPanel, onState }) {
    this.onPanel = onPanel;
    this.onState = onState;
  }

  open() {
    const socket = new WebSocket(socketAddress("/api/sim"));
    this.onState("waiting");
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      this.onState("open");
      this.onPanel(message.panel ?? message);
    };
    socket.onclose = () => {
      this.onState("lost");
      setTimeout(() => this.open(), RETRY_MS);
    };
  }
}
