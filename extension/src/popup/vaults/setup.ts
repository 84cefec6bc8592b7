// The way to the page where vaults are made.

/** From the toolbar's popup or the side panel a tab of its own: choosing a file closes a popup. */
export function openSetup(): void {
  const address = chrome.runtime.getURL("onboarding.html");
  const shape = document.documentElement.dataset["shape"];
  if (shape === "tab") return location.assign(address);
  void chrome.tabs.create({ url: address });
  if (shape === "popup") window.close();
}
