import { describe, expect, it } from '@jest/globals';
import { Problem, type ProblemCode } from '#domain';
import { isOfFace, openAiError } from './openai-error.js';

describe('a refusal as OpenAI’s clients read it', () => {
  it.each<[ProblemCode, number, string, string, boolean]>([
    ['invalid_request', 400, 'invalid_request_error', 'invalid_value', false],
    ['unauthenticated', 401, 'invalid_request_error', 'invalid_api_key', false],
    ['budget_exhausted', 429, 'insufficient_quota', 'insufficient_quota', true],
    ['forbidden', 403, 'invalid_request_error', 'forbidden', false],
    ['not_found', 404, 'invalid_request_error', 'not_found', false],
    ['method_not_allowed', 404, 'invalid_request_error', 'unknown_url', false],
    ['conflict', 409, 'invalid_request_error', 'conflict', true],
    ['session_busy', 409, 'invalid_request_error', 'session_busy', true],
    ['payload_too_large', 413, 'invalid_request_error', 'payload_too_large', false],
    ['unsupported_media_type', 415, 'invalid_request_error', 'unsupported_media_type', false],
    ['idempotency_mismatch', 422, 'invalid_request_error', 'idempotency_mismatch', false],
    ['rate_limited', 429, 'requests', 'rate_limit_exceeded', false],
    ['log_unavailable', 503, 'server_error', 'log_unavailable', false],
    ['internal', 500, 'server_error', 'internal', false],
  ])('%s', (problem, status, type, code, isFinal) => {
    const told = openAiError(new Problem(problem, 'why'), false);
    expect(told).toEqual({ status, isFinal, body: { error: { message: 'why', type, param: null, code } } });
  });

  it('names the field and the finer code, and tells a path that is not there from a thing', () => {
    const errors = [{ path: 'input[0].type', message: 'no' }];
    const fine = new Problem('invalid_request', 'no', { errors, reason: 'unsupported_value' });
    expect(openAiError(fine, false).body.error).toMatchObject({
      param: 'input[0].type',
      code: 'unsupported_value',
    });
    expect(openAiError(new Problem('not_found', 'x'), true).body.error.code).toBe('unknown_url');
    for (const url of ['/v1/models', '/v1', '/v1?a=b', '/v1/']) expect(isOfFace(url)).toBe(true);
    expect(isOfFace('/v1x')).toBe(false);
  });
});
