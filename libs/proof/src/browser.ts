// The second door: the verifier for code that runs in a browser. Whoever bundles it puts the files of verify/browser in the
// place of hashing.ts and signing.ts (.ci/build-verify.mjs).
export { MAX_INPUT_BYTES, type VerifyInput } from './verify/trust.js';
export { FileVerifier } from './verify/file-verifier.js';
export { type Verdict, jsonOf, unusable } from './verify/verdict.js';
export { headOf, textOf } from './verify/verdict-text.js';
export { Verifier } from './verify/verifier.js';
export { type Asked, takeAsked } from './verify/browser/signing.js';
