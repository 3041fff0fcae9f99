import { expect, test } from '@jest/globals';
import { readTilePath } from './tile-path.js';

test.each([
  ['0/000', { level: 0, index: 0, width: 256 }],
  ['1/273.p/112', { level: 1, index: 273, width: 112 }],
  ['entries/x001/x234/067', { level: null, index: 1_234_067, width: 256 }],
  ['63/x001/000.p/1', { level: 63, index: 1_000, width: 1 }],
])('%s', (path, request) => expect(readTilePath(path)).toEqual(request));

test.each([
  '',
  '0',
  '0/',
  '0/0',
  '0/00',
  '0/0000',
  '00/000',
  '64/000',
  '0/x000/000',
  '0/x01/000',
  '0/001/000',
  '0/000.p/0',
  '0/000.p/256',
  '0/000.p/01',
  '0/000.p/',
  '0/000.p',
  '0/000/',
  '-1/000',
  'entries/1e3',
  'entries/000.p/+1',
  '0/x999/x999/x999/x999/x999/999',
])('another spelling is none: %s', (path) => expect(readTilePath(path)).toBeNull());
