// Modules whose download is not timed.

export async function fetchBytes(path: string): Promise<ArrayBuffer> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  return response.arrayBuffer();
}

/** The module as a server's response, without the download. */
export function served(module: ArrayBuffer): Response {
  return new Response(module, { headers: { "content-type": "application/wasm" } });
}
