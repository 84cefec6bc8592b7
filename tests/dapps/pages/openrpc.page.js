// The methods of MetaMask's OpenRPC documents, each called with its example's parameters.

import openrpc from "@metamask/api-specs/dist/build/openrpc.json";
import multichain from "@metamask/api-specs/dist/build/multichain-openrpc.json";

const byName = ({ paramStructure }) => paramStructure === "by-name";
const params = (method, example) =>
  byName(method)
    ? Object.fromEntries(example.params.map(({ value }, index) => [method.params[index]?.name, value]))
    : example.params.map(({ value }) => value);

/** Every method once, or once for each example. Methods of the multichain document have their own provider. */
window.methods = [openrpc, multichain].flatMap(({ methods }, document) =>
  methods.flatMap((method) => {
    const examples = method.examples?.length ? method.examples : [{ params: [] }];
    return examples.map((example, index) => ({
      name: method.name,
      example: index,
      params: params(method, example),
      isMultichain: document === 1,
      codes: (method.errors ?? []).map(({ code }) => code).filter(Number.isInteger),
    }));
  }),
);
