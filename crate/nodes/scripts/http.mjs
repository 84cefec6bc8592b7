// A server on a free port of this machine. `answer` takes {method, path, query, body} and returns {status, body}, for one
// request after the other; if it throws, the connection ends without an answer.
import { once } from "node:events";
import { createServer } from "node:http";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*, Authorization",
  "access-control-allow-private-network": "true",
};

const plain = (_, value) => (typeof value === "bigint" ? value.toString() : value);

export async function listen(answer) {
  let turn = Promise.resolve();
  const server = createServer(async (request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
    try {
      const asked = await read(request);
      const answered = turn.then(() => answer(asked));
      turn = answered.catch(() => {});
      const { status, body } = await answered;
      const text = Buffer.from(JSON.stringify(body, plain));
      response.writeHead(status, { ...CORS, "content-type": "application/json", "content-length": text.length }).end(text);
    } catch (error) {
      console.error(error);
      request.socket.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}

async function read(request) {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  let text = "";
  for await (const piece of request) text += piece;
  return { method: request.method, path: decodeURIComponent(pathname), query: searchParams, body: parsed(text) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
