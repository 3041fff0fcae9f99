import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface Project {
  readonly type: 'application' | 'library';
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
}

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as {
  readonly projects: Readonly<Record<string, Project>>;
};

test.each([
  ['apps', 'application'],
  ['libs', 'library'],
] as const)('nest-cli.json names every folder of %s and no other', (folder, type) => {
  const named = Object.entries(projects).filter(([, project]) => project.type === type);
  expect(named.map(([name]) => name).sort()).toEqual(readdirSync(folder).sort());
  for (const [name, { root, sourceRoot, entryFile }] of named) {
    expect([root, sourceRoot]).toEqual([`${folder}/${name}`, `${folder}/${name}/src`]);
    expect([name, existsSync(`${sourceRoot}/${entryFile}.ts`)]).toEqual([name, true]);
  }
});
