// Typed data (EIP-712): hashes and types by ethers. Values are seeded; what ethers refuses is not written.
import { createHash } from "node:crypto";
import { getAddress, TypedDataEncoder } from "ethers";
import { write } from "./payload.mjs";

const hash = (text) => createHash("sha256").update(`countersign typed data ${text}`).digest("hex");
const address = (text) => getAddress(`0x${hash(text).slice(0, 40)}`);
const number = (text, bits) => (BigInt(`0x${hash(text)}`) % 2n ** BigInt(bits)).toString();
const bytes = (text, length) => `0x${hash(text).repeat(2).slice(0, 2 * length)}`;

// Any value of a type.
function value(types, kind, seed) {
  const array = kind.match(/^(.*)\[(\d*)\]$/);
  if (array) {
    const count = array[2] === "" ? Number(number(`${seed} count`, 2)) : Number(array[2]);
    return Array.from({ length: count }, (_, index) => value(types, array[1], `${seed}[${index}]`));
  }
  if (types[kind]) {
    return Object.fromEntries(types[kind].map(({ name, type }) => [name, value(types, type, `${seed}.${name}`)]));
  }
  if (kind === "address") return address(seed);
  if (kind === "bool") return number(seed, 1) === "1";
  if (kind === "string") return `text of ${seed} ünï 🍜`;
  if (kind === "bytes") return bytes(seed, Number(number(`${seed} length`, 5)));
  if (kind.startsWith("bytes")) return bytes(seed, Number(kind.slice(5)));
  if (kind.startsWith("uint")) return number(seed, Number(kind.slice(4)));
  const bits = Number(kind.slice(3));
  return (BigInt(number(seed, bits)) - 2n ** BigInt(bits - 1)).toString();
}

const struct = (text) => text.split(",").map((member) => {
  const [type, name] = member.trim().split(" ");
  return { name, type };
});
const CASES = {
  "ERC-2612": { Permit: struct("address owner,address spender,uint256 value,uint256 nonce,uint256 deadline") },
  "Permit2 single": {
    PermitSingle: struct("PermitDetails details,address spender,uint256 sigDeadline"),
    PermitDetails: struct("address token,uint160 amount,uint48 expiration,uint48 nonce"),
  },
  "Permit2 batch": {
    PermitBatch: struct("PermitDetails[] details,address spender,uint256 sigDeadline"),
    PermitDetails: struct("address token,uint160 amount,uint48 expiration,uint48 nonce"),
  },
  Seaport: {
    OrderComponents: struct(
      "address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter",
    ),
    OfferItem: struct("uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount"),
    ConsiderationItem: struct(
      "uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient",
    ),
  },
  "Safe": {
    SafeTx: struct(
      "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce",
    ),
  },
  "signed numbers": { Numbers: struct("int8 a,int16 b,int256 c,uint8 d,uint256 e,int128 f") },
  "bytes and truths": { Bytes: struct("bytes1 a,bytes4 b,bytes31 c,bytes32 d,bytes e,bool f,string g") },
  "arrays of arrays": { Arrays: struct("uint256[][2] a,string[3] b,bytes32[] c,address[2][2] d,bool[] e") },
  "structs of structs": {
    Outer: struct("Middle one,Middle[] many,Inner[2][] deep"),
    Middle: struct("Inner inner,string name"),
    Inner: struct("uint256 id,bytes data"),
  },
  "names in order": { Zoo: struct("Cat cat,Ant ant"), Ant: struct("Cat cat"), Cat: struct("string name") },
};
const DOMAINS = [
  { name: "Vectors", version: "1", chainId: 1, verifyingContract: address("contract") },
  { name: "Vectors", chainId: 137 },
  { salt: bytes("salt", 32) },
  {},
];

const cases = [];
for (const [name, types] of Object.entries(CASES)) {
  for (const [index, domain] of DOMAINS.entries()) {
    const [primaryType] = Object.keys(types);
    const message = value(types, primaryType, `${name} ${index}`);
    cases.push({
      name: `${name} ${index}`,
      data: { types, primaryType, domain, message },
      encodeType: TypedDataEncoder.from(types).encodeType(primaryType),
      hash: TypedDataEncoder.hash(domain, types, message),
    });
  }
}
write("evm", "typed_data.json", { cases });
