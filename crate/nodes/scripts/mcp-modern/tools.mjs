// The tools of the modern server: what is listed, and what a call does.
import { setTimeout as sleep } from "node:timers/promises";
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";

const text = (text) => ({ content: [{ type: "text", text }] });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const string = { type: "string" };

const WEATHER = object({ city: string, celsius: { type: "number" } });

export const DEFINITIONS = [
  { name: "echo", description: "Says what it is told.", inputSchema: object({ text: string }), annotations: { readOnlyHint: true } },
  {
    name: "get-weather",
    title: "Weather",
    description: "The weather of a city.",
    inputSchema: object({ city: string }),
    outputSchema: WEATHER,
    annotations: { readOnlyHint: true },
  },
  {
    name: "get-wrong-weather",
    description: "The weather in another shape than it says.",
    inputSchema: object({ city: string }),
    outputSchema: WEATHER,
  },
  { name: "fail", description: "Fails, and says why.", inputSchema: object({}) },
  {
    name: "count-slowly",
    description: "Counts, and tells how far it is.",
    inputSchema: object({ steps: { type: "integer" }, millis: { type: "integer" } }),
  },
  { name: "hold", description: "Says that it began, and ends when it is let go.", inputSchema: object({}) },
  {
    name: "break-stream",
    description: "Does its work and loses the connection before it says so.",
    inputSchema: object({}),
    annotations: { destructiveHint: false, idempotentHint: false },
  },
  { name: "book-table", description: "Asks for how many.", inputSchema: object({ when: string }) },
  { name: "sign-up", description: "Sends the user to a page.", inputSchema: object({}) },
  {
    name: "find-nearby",
    description: "Finds something in a region, which is sent as a header too.",
    inputSchema: object({ what: string, region: { type: "string", "x-mcp-header": "Region" } }),
  },
  {
    name: "pay",
    description: "Pays an invoice.",
    inputSchema: object({ invoice: string }),
    annotations: { destructiveHint: true },
  },
];

async function progress({ mcpReq }, done, total) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: done, total, message: `step ${done}` } });
}

export const handlers = {
  echo: ({ text: said }) => text(said),

  "get-weather": ({ city }) => {
    const structuredContent = { city, celsius: 21.5 };
    return { ...text(JSON.stringify(structuredContent)), structuredContent };
  },

  "get-wrong-weather": ({ city }) => ({ ...text("warm"), structuredContent: { city, celsius: "warm" } }),

  fail: () => ({ ...text("there is no paper"), isError: true }),

  async "count-slowly"({ steps, millis }, context) {
    for (let step = 1; step <= steps; step++) {
      await progress(context, step, steps);
      await sleep(millis, undefined, { signal: context.mcpReq.signal });
    }
    return text(`counted to ${steps}`);
  },

  async hold(_, context) {
    await progress(context, 1, 2);
    await new Promise((go) => context.gate.waiting.push(go));
    return text("held and let go");
  },

  async "break-stream"(_, context) {
    await progress(context, 1, 2);
    await sleep(50);
    context.cut();
    return text("never heard");
  },

  "book-table"({ when }, { mcpReq }) {
    const { guests } = acceptedContent(mcpReq.inputResponses, "guests") ?? {};
    if (guests !== undefined) return text(`a table for ${guests} at ${when}, ${mcpReq.requestState()}`);
    if (mcpReq.inputResponses) return text("no table");
    const requestedSchema = object({ guests: { type: "integer", title: "Guests", minimum: 1, maximum: 20 } });
    return inputRequired({
      inputRequests: { guests: inputRequired.elicit({ message: "For how many?", requestedSchema }) },
      // Blanks and signs, which are echoed byte for byte.
      requestState: ` state of ${when} =?= ü`,
    });
  },

  "sign-up"(_, { mcpReq }) {
    const action = mcpReq.inputResponses?.page?.action;
    if (action) return text(`the user said ${action}`);
    const page = { message: "Please sign up.", url: "http://127.0.0.1/sign-up?for=you" };
    return inputRequired({ inputRequests: { page: inputRequired.elicitUrl(page) } });
  },

  "find-nearby": ({ what, region }, { http }) =>
    text(`${what} in ${region}; the header says ${http?.req?.headers.get("mcp-param-region")}`),

  pay: ({ invoice }) => text(`paid ${invoice}`),
};
