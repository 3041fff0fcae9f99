import { describe, expect, it } from '@jest/globals';
import { ReadModelsUnavailable } from '../unavailable.js';
import { DatabaseFault, translated } from './errors.js';

const secret = 'postgres://user:secret@db.internal/annals';
const fault = (code: string | undefined, message = secret) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('errors of the database', () => {
  it.each([
    'ECONNREFUSED',
    'EPIPE',
    'ENOTFOUND',
    '57P01',
    '57P03',
    '08006',
    '53300',
    '28P01',
    '3D000',
    undefined,
  ])('with code %s mean that it is unavailable', (code) =>
    expect(translated(fault(code))).toBeInstanceOf(ReadModelsUnavailable),
  );

  it.each(['22021', '23505', '42P01', '54000', 'XX000'])('with code %s are faults', (code) =>
    expect(translated(fault(code))).toBeInstanceOf(DatabaseFault),
  );

  it.each(['ECONNREFUSED', '28P01', '22021', '23505', undefined])('with code %s tell no secret', (code) => {
    const { message, cause } = translated(fault(code));
    expect(message).not.toContain('secret');
    expect(cause).toBeUndefined();
  });

  it('tell what is wrong with a statement of ours', () =>
    expect(translated(fault('42703', 'column "x" does not exist')).message).toContain('column "x"'));

  it.each([
    ['57014', 'canceling statement', true],
    [undefined, 'Query read timeout', true],
    [undefined, 'timeout exceeded when trying to connect', false],
    ['57P01', 'terminating connection', false],
  ])('with code %s (%s) tell whether a statement was not ended in time', (code, message, expected) =>
    expect(translated(fault(code, message))).toMatchObject({ isStatementTimeout: expected }),
  );

  it('are found below an error of TypeORM', () => {
    const wrapped = Object.assign(new Error(secret), { driverError: fault('57P01') });
    expect(translated(wrapped).message).toBe('the database does not answer (57P01)');
  });
});
