// SPDX-License-Identifier: BSD-3-Clause
// Browsers start no worker from a page that was opened as a file, and the search of the site is one. For such pages this
// runs the worker's script in a hidden frame, with the interface of a Worker as far as the search uses it. The theme takes
// a script of this file's name in place of one that it would fetch from another site.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const script = document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      // Within a worker, postMessage() goes to the page.
      frame.srcdoc = `<script>postMessage = message => parent.postMessage(message, "*")</script>${script.outerHTML}`;
      window.addEventListener("message", event => {
        if (event.source === frame.contentWindow) this.dispatchEvent(new MessageEvent("message", {data: event.data}));
      });
      this.ready = new Promise(loaded => frame.addEventListener("load", loaded, {once: true}));
      this.frame = frame;
      document.body ? document.body.append(frame) : document.addEventListener("DOMContentLoaded", () => document.body.append(frame));
    }
    postMessage(message) {
      // This page's function, since the frame's leads back here.
      this.ready.then(() => window.postMessage.call(this.frame.contentWindow, message, "*"));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
