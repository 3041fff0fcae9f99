import type { Labels } from './metrics.js';

/** Series of one metric at most: bounds memory if a label has more values than expected. */
const MAX_SERIES = 500;
/** The same, of one project. */
const MAX_SERIES_OF_PROJECT = 100;
const MAX_PROJECTS = 200;
const OTHER = 'other';
/** The label that names the project. */
export const PROJECT = 'project';
/**
 * Label value of projects beyond the bound, and of what belongs to none. No project has this name, and for
 * Prometheus an empty label is absent.
 */
export const NO_PROJECT = '';

type Make<S> = (labels: Record<string, string>) => S;

/**
 * The projects that have series of their own: the first that came. Owns their names, which all metrics share.
 */
export class KnownProjects {
  private readonly names = new Set<string>();

  /** The label value of a project. */
  labelOf(project: string): string {
    if (this.names.has(project) || project === NO_PROJECT) return project;
    if (this.names.size >= MAX_PROJECTS) return NO_PROJECT;
    this.names.add(project);
    return project;
  }
}

/** Finds the series of a metric by the values of its labels. */
export type FindSeries<L extends string, S> = (labels: Labels<L>) => S;

/** @param make called once for each series, when it is first used */
export function findSeries<L extends string, S>(
  names: readonly L[],
  projects: KnownProjects,
  make: Make<S>,
): FindSeries<L, S> {
  const others = names.filter((name) => name !== PROJECT);
  if (others.length === names.length) {
    const series = new Series(names, MAX_SERIES, make);
    return (labels) => series.of(labels);
  }
  const byProject = new Map<string, Series<S>>();
  return (labels: Readonly<Record<string, string>>) => {
    const project = projects.labelOf(labels[PROJECT] ?? NO_PROJECT);
    const known = byProject.get(project);
    if (known !== undefined) return known.of(labels);
    const made = new Series(others, MAX_SERIES_OF_PROJECT, (rest) => make({ ...rest, [PROJECT]: project }));
    byProject.set(project, made);
    return made.of(labels);
  };
}

/** Series, each made when it is first used and found by its labels' values afterwards. */
class Series<S> {
  private readonly known = new Map<string, S>();
  private rest: S | null = null;

  constructor(
    private readonly names: readonly string[],
    private readonly max: number,
    private readonly make: Make<S>,
  ) {}

  of(labels: Readonly<Record<string, string>>): S {
    const key = this.keyOf(labels);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // Values beyond the bound are not remembered either.
    if (this.known.size >= this.max) return (this.rest ??= this.make(this.labelsOf(() => OTHER)));
    const made = this.make(this.labelsOf((name) => labels[name] ?? ''));
    this.known.set(key, made);
    return made;
  }

  private labelsOf(value: (name: string) => string): Record<string, string> {
    return Object.fromEntries(this.names.map((name) => [name, value(name)]));
  }

  private keyOf(labels: Readonly<Record<string, string>>): string {
    const [first, second] = this.names;
    if (first === undefined) return '';
    if (second === undefined) return labels[first] ?? '';
    return this.names.map((name) => labels[name]).join('\n');
  }
}
