/** Of what a request may hold. Those of texts are of Unicode code points, as elsewhere in the service. */
export const MOST = {
  items: 2_000,
  newItems: 20,
  functions: 100,
  servers: 20,
  parts: 200,
  name: 200,
  functionName: 64,
  id: 200,
  description: 10_000,
  text: 2_097_152,
  url: 8_192,
  token: 16_384,
  toolNames: 500,
} as const;
