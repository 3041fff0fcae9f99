import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser, overflowOf, violationsOf } from '../support/console.js';
import { until } from '../support/until.js';

interface Task {
  readonly task_id: string;
  readonly message: string;
  readonly status: string;
}

describeInBrowser('what is on record, and what is set up', () => {
  let stage: ConsoleStage;
  let run = '';
  let second = '';
  let store = '';
  const tasks = (): Promise<Task[]> => stage.client.all<Task>('/tasks');
  const taskOf = async (message: string): Promise<Task> => {
    const found = (await tasks()).find((task) => task.message === message);
    if (found === undefined) throw new Error(`no task ${message}`);
    return found;
  };

  beforeAll(async () => {
    stage = await ConsoleStage.open();
    const schedules = [
      { schedule: '0 9 * * 1-5', timezone: 'Europe/Berlin', message: 'What is new today?' },
      { schedule: 1, message: 'Very soon' },
    ];
    run = (await stage.client.runToEnd({ message: 'Hello', schedules })).run_id;
    second = (await stage.client.runToEnd({ message: 'What is 6 x 7?', metadata: { customer: 'c-42' } }))
      .run_id;
    await stage.client.post('/api-keys', { name: 'shop-backend', scopes: ['run', 'read'] });
    const made = await stage.client.post('/create-datastore', { name: 'shelf', type: 'documents' });
    store = made.json<{ datastore_id: string }>().datastore_id;
    await until(async () => (await taskOf('Very soon')).status === 'finished');
  });
  afterAll(async () => {
    expect(stage.complaints).toEqual([]);
    await stage.close();
  });

  it('sums up what was used by groups, as the interface does', async () => {
    const page = await stage.page({ path: '/console/usage' });
    const usage = page.getByRole('table', { name: 'Usage' });
    const { items } = (await stage.client.get('/usage?group_by=mode')).json<{
      items: { mode: string; input_tokens: number }[];
    }>();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption({ label: 'Mode' });
    await page.waitForURL('**/console/usage?by=mode');
    const row = usage.getByRole('row', { name: /^base/ });
    await row.getByTitle(String(items[0]?.input_tokens), { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption({ label: 'Metadata' });
    await page.getByRole('textbox', { name: 'Metadata key' }).fill('customer');
    await page.getByRole('textbox', { name: 'Metadata key' }).press('Enter');
    await usage.getByRole('columnheader', { name: 'customer' }).waitFor();
    await usage.getByRole('row', { name: /^c-42/ }).waitFor();
    const bars = page.getByRole('figure', { name: 'Cost by day' }).getByRole('link');
    expect(await bars.count()).toBe(30);
    await bars.last().click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    await page.context().close();
  });

  it('adds, changes and removes a budget', async () => {
    const page = await stage.page({ path: '/console/usage' });
    await page.getByRole('button', { name: 'Add budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add budget' });
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('a lot');
    await dialog.getByRole('button', { name: 'Save budget' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/must be a decimal/)
      .first()
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('50');
    await dialog.getByRole('button', { name: 'Save budget' }).click();
    const row = page
      .getByRole('table', { name: 'Budgets' })
      .getByRole('row')
      .filter({ hasText: 'project default' });
    await row.getByText('$50 a month').waitFor();
    await row.getByRole('button', { name: 'Change' }).click();
    const change = page.getByRole('dialog', { name: 'Change budget' });
    await change.getByRole('textbox', { name: 'Limit' }).fill('0.25');
    await change.getByRole('combobox', { name: 'Period' }).selectOption('day');
    await change.getByRole('button', { name: 'Save budget' }).click();
    await row.getByText('$0.25 a day').waitFor();
    expect((await stage.client.get('/budgets')).json()).toMatchObject({
      items: [{ limit: '0.25', period: 'day' }],
    });
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove budget' }).click();
    await page.getByRole('heading', { level: 2, name: 'No budgets' }).waitFor();
    await page.context().close();
  });

  it('tells schedules in words, pauses, resumes and cancels tasks', async () => {
    const page = await stage.page({ path: '/console/tasks' });
    const row = page
      .getByRole('table', { name: 'Tasks' })
      .getByRole('row')
      .filter({ hasText: 'What is new today?' });
    await row.getByText('Every weekday at 09:00, Europe/Berlin').waitFor();
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('Scheduled').waitFor();
    await row.getByRole('link', { name: 'What is new today?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Task' }).waitFor();
    await page.getByRole('table', { name: 'Next slots' }).getByRole('row').nth(5).waitFor();
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    expect((await taskOf('What is new today?')).status).toBe('cancelled');
    await page.context().close();
  });

  it('leads from a task to the run that it started', async () => {
    const { task_id: id } = await taskOf('Very soon');
    const page = await stage.page({ path: `/console/tasks/${id}` });
    const firing = page.getByRole('table', { name: 'Firings' }).getByRole('row').nth(1);
    await firing.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /^Run in/ }).waitFor();
    await page.getByText(/task by/).waitFor();
    await page.context().close();
  });

  it('makes a datastore, takes documents into it, and finds passages', async () => {
    const page = await stage.page({ path: '/console/datastores' });
    await page.getByRole('button', { name: 'New datastore' }).click();
    const dialog = page.getByRole('dialog', { name: 'New datastore' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('manuals');
    await dialog.getByRole('button', { name: 'Create datastore' }).click();
    await page.getByRole('heading', { level: 1, name: 'manuals' }).waitFor();
    const text = 'The lamp is made of brass. It can be returned within thirty days.';
    await page.getByLabel('Add documents').setInputFiles([
      { name: 'lamp.txt', mimeType: 'text/plain', buffer: Buffer.from(text) },
      { name: 'noise.xyz', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3]) },
    ]);
    const refused = page.getByRole('alert');
    await refused.getByText('Unsupported Media Type').waitFor();
    const edges = [refused.locator('b'), refused.locator('.request')].map((part) => part.boundingBox());
    const [title, request] = await Promise.all(edges);
    expect(title!.x).toBe(request!.x);
    const documents = page.getByRole('table', { name: 'Documents' });
    await documents.getByRole('row').filter({ hasText: 'lamp.txt' }).getByText('Indexed').waitFor();
    await page.getByRole('searchbox', { name: 'Search documents' }).fill('brass lamp');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Passages' }).getByText('made of brass').waitFor();
    await page.context().close();
  });

  it('tells how the service is, and how far its followers are behind', async () => {
    const page = await stage.page({ path: '/console/system' });
    const checks = page.getByRole('table', { name: 'Checks' });
    for (const name of ['log', 'database', 'projections'])
      await checks
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByText('Ok')
        .waitFor();
    await page
      .getByRole('table', { name: 'Followers' })
      .getByRole('row', { name: /^read-models/ })
      .waitFor();
    await page.getByText('Append p99').waitFor();
    await page.context().close();
  });

  it('can be used by everybody in both themes, at 320 and 1280 px, when there is something in them', async () => {
    const { task_id: task } = await taskOf('Very soon');
    const paths = [
      `runs/${run}`,
      `diff/${run}/${second}`,
      'usage',
      'tasks',
      `tasks/${task}`,
      'datastores',
      `datastores/${store}`,
      'keys',
    ];
    const found: string[] = [];
    const page = await stage.page();
    for (const path of paths) {
      await stage.go(page, `/console/${path}`);
      for (const width of [1280, 320])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          // The second theme is other colours, and nothing else.
          const faults = await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
          found.push(...faults.map((fault) => `${path} ${width} ${fault}`));
          if ((await overflowOf(page)) > 0) found.push(`${path} ${width} is wider than its window`);
        }
    }
    await page.context().close();
    expect(found).toEqual([]);
  });
});
