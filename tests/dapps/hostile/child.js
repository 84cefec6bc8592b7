// In a frame: looks for the wallet, and speaks to the content script of this frame and of the page around it.
(async () => {
  let provider;
  addEventListener("eip6963:announceProvider", ({ detail }) => (provider = detail.provider));
  dispatchEvent(new Event("eip6963:requestProvider"));
  const answer = new Promise((resolve) => {
    addEventListener("message", ({ data }) => {
      if (data?.target === "countersign-inpage" && data.id === "raw") resolve(data.error ? { code: data.error.code } : { result: data.result });
    });
    setTimeout(() => resolve("silence"), 1500);
  });
  const message = { target: "countersign-content", id: "raw", method: "eth_requestAccounts", params: [] };
  postMessage(message, "*");
  // The content script of the page around hears messages of its own window only.
  parent.postMessage({ ...message, id: "through-parent" }, "*");
  parent.postMessage({ target: "countersign-inpage", event: "state", data: { accounts: ["0xforged"] } }, "*");
  let asked = null;
  if (provider) {
    asked = await Promise.race([
      provider.request({ method: "eth_accounts" }).then((result) => ({ result }), (error) => ({ code: error.code })),
      new Promise((resolve) => setTimeout(() => resolve("silence"), 1500)),
    ]);
  }
  const report = { frame: window.name, origin: self.origin, hasProvider: provider !== undefined, asked, raw: await answer };
  top.postMessage(report, "*");
})();
