// The second door: the verifier for code that runs in a browser. Whoever bundles it puts hashing.browser.ts and
// signing.browser.ts in the place of hashing.ts and signing.ts (.ci/build-verify.mjs, `moduleSuffixes` for the compiler).
export { toHex } from './bytes.js';
export { eventHash } from './event-hash.js';
export { isConfirmed } from './verify/browser/confirm.js';
export { type KeptFiles, verifyBlob } from './verify/browser/verify-blob.js';
export type { ExportEvent } from './verify/export-lines.js';
export type { Finding } from './verify/findings.js';
export { StreamCheck } from './verify/stream-check.js';
export { type Level, type Verdict, jsonOf, unusable } from './verify/verdict.js';
export { factsOf, findingOf, headOf, meaningsOf, neverProved, textOf } from './verify/verdict-text.js';
export { Verifier } from './verify/verifier.js';
