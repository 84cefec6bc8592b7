// Answers one JSON line with one JSON line until the input ends. A failure is answered as {error}.
import { createInterface } from "node:readline";

export async function serve(answer) {
  process.stdout.write('{"ready":true}\n');
  for await (const line of createInterface({ input: process.stdin })) {
    let reply;
    try {
      reply = await answer(JSON.parse(line));
    } catch (error) {
      reply = { error: String(error?.message ?? error) };
    }
    const text = JSON.stringify(reply, (_, value) => (typeof value === "bigint" ? value.toString() : value));
    process.stdout.write(text + "\n");
  }
  process.exit(0);
}
