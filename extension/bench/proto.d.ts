// esbuild gives the text of the file.
declare module "*.proto" {
  const text: string;
  export default text;
}
