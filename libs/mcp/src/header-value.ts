/** Visible ASCII and spaces inside; what looks encoded is not plain (specification 2026-07-28, "Value Encoding"). */
const PLAIN = /^(?!=\?base64\?.*\?=$)[!-~](?:[ -~]*[!-~])?$/;

/** A text as the value of an HTTP header of MCP; what is not plain as base64 of its UTF-8. */
export const headerValue = (text: string): string =>
  PLAIN.test(text) ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
