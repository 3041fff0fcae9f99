// What a session's page fetches when its events are there, in one: the verifier, and what reads exports.
export { exportSession } from '../session/export.js';
export { Verification } from './verification.js';
export { VerificationDialog } from './verification-dialog.js';
