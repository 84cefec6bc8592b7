// Examples in the syntax of HTTP, JSONPath and templates, which are the same in every language.

export const EXAMPLES = {
  url: "https://api.example.org/v1/weather?q=${city}&key=${API_KEY}",
  body: '{"city":"${city}"}',
  curl: ["curl", "-H", "'accept:application/json'", "'https://api.example.org/v1/weather'"].join(" "),
  headerName: "accept",
  headerValue: "application/json",
  idempotencyHeader: "idempotency-key",
  host: "api.example.org",
  mcpName: "github-tools",
  mcpUrl: "https://mcp.example.org/mcp",
  jsonPath: "$.current.temperature",
  regex: "temperature=(\\d+)",
  secret: "API_KEY",
  stepArgument: "${args.city}",
  stepOutput: "${steps.step1.summary}",
  hmacMessage: ["${method}", "${path}", "${timestamp}", "${body}"].join("\n"),
} as const;
