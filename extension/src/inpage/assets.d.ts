declare module "*.svg" {
  /** The file in base64. */
  const text: string;
  export default text;
}
