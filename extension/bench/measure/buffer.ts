// What browser-passworder expects to find around it, and finds in the wallet that ships it.

import { Buffer } from "buffer/";

Object.assign(globalThis, { Buffer });
