import { it } from '@jest/globals';
import { canTrace } from './strace.js';

/** A test that needs strace and the right to trace (ptrace); left out where they are missing, but never on CI. */
export const traced = canTrace() ? it : it.skip;
if (!canTrace()) process.stderr.write('left out: what needs strace, and the right to trace (ptrace)\n');
