// The global that browser-passworder expects, which its wallet provides.

import { Buffer } from "buffer/";

Object.assign(globalThis, { Buffer });
