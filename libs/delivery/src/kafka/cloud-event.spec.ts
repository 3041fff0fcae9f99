import { describe, expect, it } from '@jest/globals';
import { cloudEventNames } from './cloud-event.js';

describe('the names of CloudEvents', () => {
  it.each([
    ['https://annals.example.org', 'org.example.annals.'],
    ['https://Agents.Example.org:8443/annals', 'org.example.agents.'],
    ['http://localhost:3000', ''],
    ['http://127.0.0.1:3000', ''],
    ['http://[2001:db8::1]:3000', ''],
  ])('%s: types begin with "%s"', (publicUrl, type) => {
    expect(cloudEventNames(publicUrl)).toEqual({ source: publicUrl, type });
  });
});
