// `@modelcontextprotocol/client` against the server that the wallet is timed against. It keeps one session, as the wallet does.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { timed, type Millis } from "./statistics";

const WARM_UP = 5;

/** The time to connect and list, and of each call of a tool. */
export async function measureCalls(
  url: string,
  name: string,
  args: Record<string, unknown>,
  count: number,
): Promise<{ connect: Millis; calls: Millis[] }> {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const [connect] = await timed(async () => {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await client.listTools();
  });
  const calls: Millis[] = [];
  for (let round = -WARM_UP; round < count; round++) {
    const [time, result] = await timed(() => client.callTool({ name, arguments: args }));
    if (result.isError) throw new Error(JSON.stringify(result));
    if (round >= 0) calls.push(time);
  }
  await client.close();
  return { connect, calls };
}
