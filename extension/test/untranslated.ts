// Finds the texts in a page's source that a person would read and that do not come from locales/.

import { createRequire } from "node:module";
import { join } from "node:path";
import type { Expression, Node, SourceFile } from "typescript";

/** Loaded and not bundled: it is as large as the rest of the tests together. */
const ts = createRequire(join(process.cwd(), "package.json"))("typescript") as typeof import("typescript");

/** A text in a file. */
export interface Found {
  file: string;
  line: number;
  text: string;
}

/** A use of a message: `t`, `tParts` and `plural` name keys. */
export interface Use {
  file: string;
  line: number;
  keys: string[];
  /** How many values follow; absent in `plural`, which has none, and where a list is spread. */
  values: number | undefined;
}

export interface Read {
  untranslated: Found[];
  uses: Use[];
  /** Every text of the file, since tables hold keys as well. */
  literals: Set<string>;
}

/** Stands for a value inside a template. */
const VALUE = "\u{fffc}";

/** Attributes that are read aloud or shown. */
const SPOKEN = ["aria-label", "aria-description", "aria-roledescription", "title", "placeholder", "alt"];
const SPOKEN_PROPERTIES = [...SPOKEN, "textContent", "innerText", "ariaLabel"];

/** Attributes with several words that no person reads. */
const MACHINE = /^(class|className|rel|aria-relevant|aria-controls|aria-describedby|viewBox|data-.*)$/;

/** Functions that search for a text and show none. */
const SEARCHING = ["querySelector", "querySelectorAll", "closest", "matches", "includes", "startsWith", "endsWith", "split"];

/** The children of `h` begin with its third argument, those of `fill` with its second. */
const FIRST_CHILD: Record<string, number> = { h: 2, fill: 1, append: 0, prepend: 0, replaceChildren: 0 };

export function read(file: string, source: string): Read {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
  const found: Read = { untranslated: [], uses: [], literals: new Set() };
  const visit = (node: Node): void => {
    if (isText(node)) {
      const text = textOf(node);
      found.literals.add(text);
      if (!isForMachines(node, text) && isReadable(text, isShown(node))) {
        found.untranslated.push({ file, line: lineOf(parsed, node), text: text.replaceAll(VALUE, "${…}") });
      }
    }
    if (ts.isCallExpression(node)) {
      const use = useOf(node);
      if (use) found.uses.push({ file, line: lineOf(parsed, node), ...use });
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

type Text = Expression & { readonly text?: string };

function isText(node: Node): node is Text {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function textOf(node: Text): string {
  if (!ts.isTemplateExpression(node)) return node.text ?? "";
  return node.head.text + node.templateSpans.map(({ literal }) => VALUE + literal.text).join("");
}

const lineOf = (source: SourceFile, node: Node): number =>
  source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

/** Two words or more, or one that begins like a sentence; any letter where a person certainly reads it. */
function isReadable(text: string, shown: boolean): boolean {
  if (!/\p{L}/u.test(text.replaceAll(VALUE, ""))) return false;
  const words = text.split(/\s+/).filter((word) => /[\p{L}\u{fffc}]/u.test(word));
  return shown || words.length > 1 || /^\p{Lu}\p{Ll}/u.test(text);
}

/** The expression that a text decides: `a ? "x" : "y"`, `"x" + y`, `[...("x")]` up to what takes the value. */
function whole(node: Node): Node {
  const { parent } = node;
  const passes =
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent) ||
    ts.isTemplateSpan(parent) ||
    ts.isTemplateExpression(parent) ||
    ts.isSpreadElement(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isBinaryExpression(parent) && JOINS.includes(parent.operatorToken.kind));
  return passes ? whole(parent) : node;
}

const JOINS = [
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
];

const COMPARES = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
];

function isForMachines(node: Text, text: string): boolean {
  // The path of an icon.
  if (/^M[\d.]/.test(text)) return true;
  const top = whole(node);
  const { parent } = top;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (ts.isPropertyAssignment(parent)) return parent.name === top || MACHINE.test(nameOf(parent.name));
  if (ts.isPropertySignature(parent) || ts.isComputedPropertyName(parent)) return true;
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return true;
  if (ts.isBinaryExpression(parent)) return COMPARES.includes(parent.operatorToken.kind);
  // `["Enter", " "].includes(key)`
  if (ts.isPropertyAccessExpression(parent)) return SEARCHING.includes(parent.name.text);
  return ts.isCallExpression(parent) && SEARCHING.includes(calleeOf(parent));
}

/** Whether a person certainly reads it: the text of an element or of one of its spoken attributes. */
function isShown(node: Text): boolean {
  const top = whole(node);
  const { parent } = top;
  if (ts.isPropertyAssignment(parent)) return SPOKEN.includes(nameOf(parent.name));
  if (ts.isBinaryExpression(parent) && ts.isPropertyAccessExpression(parent.left)) {
    return parent.right === top && SPOKEN_PROPERTIES.includes(parent.left.name.text);
  }
  if (!ts.isCallExpression(parent)) return false;
  const place = parent.arguments.indexOf(top as Expression);
  const callee = calleeOf(parent);
  if (callee === "setAttribute") {
    const [name] = parent.arguments;
    return place === 1 && name !== undefined && ts.isStringLiteral(name) && SPOKEN.includes(name.text);
  }
  return place >= (FIRST_CHILD[callee] ?? Infinity);
}

function calleeOf({ expression }: { expression: Expression }): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : "";
}

function nameOf(name: Node): string {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : "";
}

function useOf(call: Node): Pick<Use, "keys" | "values"> | undefined {
  if (!ts.isCallExpression(call)) return undefined;
  const callee = calleeOf(call);
  const [first, ...values] = call.arguments;
  if (callee === "plural") return { keys: call.arguments.slice(1).flatMap(keysOf), values: undefined };
  if ((callee !== "t" && callee !== "tParts") || !first) return undefined;
  return { keys: keysOf(first), values: values.some(ts.isSpreadElement) ? undefined : values.length };
}

/** The keys that an expression may name; those of a table are found by the compiler's types. */
function keysOf(node: Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return keysOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...keysOf(node.whenTrue), ...keysOf(node.whenFalse)];
  if (ts.isCallExpression(node) && calleeOf(node) === "plural") return node.arguments.slice(1).flatMap(keysOf);
  return [];
}
