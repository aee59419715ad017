// Lets the page be installed and be opened without a mind: the service worker keeps its files. Where a browser has none,
// or does not trust the server's certificate enough for one, the page is the same without.

if (isSecureContext && "serviceWorker" in navigator) {
  addEventListener("load", () => {
    // The robot first.
    const whenIdle = self.requestIdleCallback ?? setTimeout;
    whenIdle(() => navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {}));
  });
}
