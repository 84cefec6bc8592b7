/** What the vaults of both sides are made of. */
export const WORDS = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
