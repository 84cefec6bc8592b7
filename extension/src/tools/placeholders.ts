// Placeholders in templates: `${city}` is an argument, `${API_KEY}` a secret, `${version}` the tool's own version.

const PLACEHOLDER = /\$\{([^{}]*)\}/g;
const SECRET = /^[A-Z][A-Z0-9_]*$/;
/** The argument of a path such as `place.names[0]`. */
const ROOT = /^[^.[\]]+/;

export interface Placeholders {
  readonly arguments: readonly string[];
  readonly secrets: readonly string[];
}

export const isSecretName = (name: string): boolean => SECRET.test(name);

/** The names in the order in which they first appear. */
export function placeholdersIn(...templates: readonly string[]): Placeholders {
  const names = templates.flatMap((template) => [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name.trim()));
  const secrets = names.filter(isSecretName);
  const roots = names.filter((name) => !isSecretName(name) && name !== "version").map((name) => ROOT.exec(name)?.[0] ?? "");
  return { arguments: [...new Set(roots)].filter((name) => name !== ""), secrets: [...new Set(secrets)] };
}
