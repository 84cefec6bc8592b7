// Node has no chrome.i18n: this one has the English texts that the build writes.

import { messagesOf } from "../locales.mjs";

const messages = messagesOf("en");

globalThis.chrome = {
  i18n: {
    getUILanguage: () => "en-US",
    getMessage: (key, values = []) =>
      messages[key]?.message.replace(/\$([1-9])/g, (_, place) => values[place - 1] ?? "") ?? "",
  },
};
