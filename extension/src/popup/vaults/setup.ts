// Opens the onboarding page.

/** The popup and the side panel open a new tab: choosing a file would close a popup. */
export function openSetup(): void {
  const address = chrome.runtime.getURL("onboarding.html");
  const shape = document.documentElement.dataset["shape"];
  if (shape === "tab") return location.assign(address);
  void chrome.tabs.create({ url: address });
  if (shape === "popup") window.close();
}
