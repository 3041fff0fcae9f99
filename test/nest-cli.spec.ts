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

/** The console is pages: a bundle, and no project of Nest's. */
const isOfNest = (folder: string): boolean => !existsSync(`${folder}/index.html`);

test.each([
  ['apps', 'application'],
  ['libs', 'library'],
] as const)('nest-cli.json names every folder of %s that Nest builds, and no other', (folder, type) => {
  const named = Object.entries(projects).filter(([, project]) => project.type === type);
  expect(named.map(([name]) => name).sort()).toEqual(
    readdirSync(folder)
      .filter((name) => isOfNest(`${folder}/${name}`))
      .sort(),
  );
  for (const [name, { root, sourceRoot, entryFile }] of named) {
    expect([root, sourceRoot]).toEqual([`${folder}/${name}`, `${folder}/${name}/src`]);
    expect([name, existsSync(`${sourceRoot}/${entryFile}.ts`)]).toEqual([name, true]);
  }
});
