import { expect, test } from '@jest/globals';
import { clientUrl, welcomeText } from './welcome.js';

test.each([
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['http://0.0.0.0:80', 'http://localhost'],
  ['http://[::]:3000', 'http://localhost:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
])('whoever is told of %s goes to %s', (address, url) => {
  expect(clientUrl(address)).toBe(url);
});

test('the demo model is named where it answers, and not otherwise', () => {
  const welcome = { url: 'http://127.0.0.1:3000', key: 'annals_x', intro: '', isModelBuiltIn: true };
  expect(welcomeText(welcome)).toContain('demo model');
  const other = welcomeText({ ...welcome, isModelBuiltIn: false });
  expect(other).not.toContain('demo model');
  expect(other).toContain('http://127.0.0.1:3000/docs');
});
