// The second door: the verifier for code that runs in a browser. Whoever bundles it puts hashing.browser.ts and
// signing.browser.ts in the place of hashing.ts and signing.ts (.ci/build-verify.mjs, `moduleSuffixes` for the compiler).
export { toHex, utf8 } from './bytes.js';
export { type HashedEvent, eventHash } from './event-hash.js';
export { parsePolicy } from './policy.js';
export { formatKey } from './notes.js';
export { MAX_INPUT_BYTES, type VerifyInput } from './verify/trust.js';
export { EventFold } from './verify/event-fold.js';
export { type Finding, Findings } from './verify/findings.js';
export { FileVerifier } from './verify/file-verifier.js';
export { isConfirmed } from './verify/browser/confirm.js';
export { type Verdict, jsonOf, unusable } from './verify/verdict.js';
export { headOf, textOf } from './verify/verdict-text.js';
export { Verifier } from './verify/verifier.js';
