// Browsers start no web worker on pages that are opened as files. For these, a hidden frame does the work of one,
// so that the site's search needs neither a server nor a network. Only what the search uses is implemented.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.ready = new Promise((resolve) => {
        this.inside.started = resolve;
      });
      this.inside.importScripts = (...urls) =>
        urls.reduce(
          (before, each) =>
            before.then(
              () =>
                new Promise((resolve, reject) => {
                  const script = this.inside.document.createElement("script");
                  script.src = each;
                  script.onload = resolve;
                  script.onerror = () => reject(new Error(each));
                  this.inside.document.body.appendChild(script);
                }),
            ),
          Promise.resolve(),
        );
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inside.document.createElement("script");
      script.src = url;
      script.onload = () => this.inside.started();
      this.inside.document.body.appendChild(script);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  }
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
