import type { KnowledgeOutcome, KnowledgeTool, KnowledgeRequest } from '#knowledge';
import type { KnowledgeHouse } from './knowledge-house.js';

/** The tools of a run, called by their names. */
export class KnowledgeRun {
  private constructor(readonly tools: readonly KnowledgeTool[]) {}

  static async open(
    house: KnowledgeHouse,
    request: Partial<KnowledgeRequest> & Pick<KnowledgeRequest, 'datastores'>,
  ): Promise<KnowledgeRun> {
    const whole = { project: 'one', queries: [], ...request };
    await house.knowledge.tools.check(whole);
    return new KnowledgeRun(await house.knowledge.tools.open(whole));
  }

  get names(): string[] {
    return this.tools.map(({ definition }) => definition.name);
  }

  call(name: string, input: unknown): Promise<KnowledgeOutcome> {
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return tool.call(input, new AbortController().signal);
  }

  /** The parsed content of a call that must succeed. */
  async result(
    name: string,
    input: unknown,
  ): Promise<{ columns: string[]; rows: unknown[][]; note?: string }> {
    const { content, isError } = await this.call(name, input);
    if (isError) throw new Error(content);
    return JSON.parse(content) as { columns: string[]; rows: unknown[][]; note?: string };
  }
}
