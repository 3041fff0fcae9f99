import { describe, expect, it } from '@jest/globals';
import {
  type Position,
  type Revision,
  apiKeyStream,
  isSessionId,
  runId,
  sessionId,
  sessionOfRun,
  sessionOfStream,
  sessionStream,
} from './ids.js';

describe('ids', () => {
  it("find a run's session in the run's id", () => {
    expect(runId('ses_0a', '1f')).toBe('run_ses_0a_1f');
    expect(sessionOfRun('run_ses_0a_1f')).toBe('ses_0a');
  });

  it.each([
    '',
    'run_',
    'run_ses_0a',
    'run_ses_0a_',
    'ses_0a_1f',
    'run_ses_0a_1f_2',
    'run_ses_0a_1f\n',
    'run_../x_1',
  ])('know that %j is no run', (text) => {
    expect(sessionOfRun(text)).toBeNull();
  });

  it('tell a session from anything else', () => {
    expect(isSessionId(sessionId('0a'))).toBe(true);
    for (const text of ['', 'ses_', 'ses_a b', 'ses_a_b', 'SES_a', 'ses_a\n'])
      expect(isSessionId(text)).toBe(false);
  });

  it("name a session's stream, and find the session in the name", () => {
    expect(sessionStream('ses_0a')).toBe('session-ses_0a');
    expect(sessionOfStream('session-ses_0a')).toBe('ses_0a');
    expect(sessionOfStream(apiKeyStream('x'))).toBeNull();
  });
});

describe('kinds of ids', () => {
  it('are not taken for each other', () => {
    const session = sessionId('0a');
    const run = runId(session, '1f');
    // @ts-expect-error a run is no session
    expect(sessionStream(run)).toBe('session-run_ses_0a_1f');
    // @ts-expect-error a session is no run
    expect(sessionOfRun(session)).toBeNull();
    const position: Position = 7;
    // @ts-expect-error a place in the whole log is none in a stream
    const revision: Revision = position;
    expect(revision).toBe(7);
  });
});
