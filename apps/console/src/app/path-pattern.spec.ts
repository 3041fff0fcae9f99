import { describe, expect, test } from '@jest/globals';
import { matchPath } from './path-pattern.js';

describe('a path of the console', () => {
  test.each([
    ['/console/sessions', '/console/sessions', {}],
    ['/console/sessions', '/console/sessions/', {}],
    ['/console/sessions', '/console/sessions/s1', null],
    ['/console/sessions/:session@', '/console/sessions/s1', { session: 's1' }],
    ['/console/sessions/:session@', '/console/sessions/s1@42', { session: 's1', at: '42' }],
    ['/console/sessions/:session@', '/console/sessions/a%2Fb%40c@7', { session: 'a/b@c', at: '7' }],
    ['/console/sessions/:session@', '/console/sessions/s1@x', { session: 's1@x' }],
    ['/console/sessions/:session@', '/console/sessions/%E0%A4', null],
    ['/console/diff/:a/:b', '/console/diff/r1/r2', { a: 'r1', b: 'r2' }],
    ['/console/diff/:a/:b', '/console/diff/r1', null],
  ])('%s takes %s', (pattern, path, params) => {
    expect(matchPath(pattern, path)).toEqual(params);
  });
});
