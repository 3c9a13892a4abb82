// The panel's own feed; it speaks on changes only, so an open socket is the sign of life.

import { socketAddress } from "../feed.js";

const RETRY_MS = 1_000;

export class PanelFeed {
  constructor({ onPanel, onOpen }) {
    this.onPanel = onPanel;
    this.onOpen = onOpen;
  }

  open() {
    const socket = new WebSocket(socketAddress("/api/sim"));
    this.onOpen(false);
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      this.onOpen(true);
      this.onPanel(message.panel);
    };
    socket.onclose = () => {
      this.onOpen(false);
      setTimeout(() => this.open(), RETRY_MS);
    };
  }
}
