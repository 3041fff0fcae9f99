import { describe, expect, it } from '@jest/globals';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { calledTool } from './called-tool.js';
import type { Tool, ToolOrigin } from './tool.js';

const offered = (name: string, origin?: ToolOrigin): Tool =>
  Object.assign(new LedgerTool(name), origin === undefined ? {} : { origin });

const PAY_OF_B = { name: 'pay', server: 'B', tool: 'pay' };

describe('a call on the log', () => {
  it('is of the tool of its server, by whatever name that is offered now', () => {
    const ofX = offered('pay', { server: 'X', tool: 'pay' });
    const ofB = offered('B_pay', { server: 'B', tool: 'pay' });
    expect(calledTool(PAY_OF_B, [ofX, ofB])).toBe(ofB);
    expect(calledTool(PAY_OF_B, [ofX])).toBeUndefined();
    expect(calledTool(PAY_OF_B, [offered('pay', { server: 'B', tool: 'refund' })])).toBeUndefined();
    expect(calledTool(PAY_OF_B, [offered('pay')])).toBeUndefined();
  });

  it('is of the one among servers of the same name that it was made to', () => {
    const second = offered('pay', { server: 'B', tool: 'pay', server_index: 1 });
    expect(calledTool(PAY_OF_B, [second])).toBeUndefined();
    expect(calledTool({ ...PAY_OF_B, name: 'B_pay', server_index: 1 }, [second])).toBe(second);
  });

  it('is told apart by its name where a server has two that look the same', () => {
    const origin = { server: 'B', tool: '***' };
    const tools = [offered('B____', origin), offered('B_____2', origin)];
    expect(calledTool({ ...origin, name: 'B_____2' }, tools)).toBe(tools[1]);
    expect(calledTool({ ...origin, name: 'pay' }, tools)).toBeUndefined();
  });

  it("that names no server is found by its name, and is no tool server's where somebody had part in it", () => {
    const ofX = offered('pay', { server: 'X', tool: 'pay' });
    const own = offered('pay');
    expect(calledTool({ name: 'pay' }, [ofX])).toBe(ofX);
    expect(calledTool({ name: 'pay', needs: 'approval' }, [ofX])).toBeUndefined();
    expect(calledTool({ name: 'pay', needs: 'approval' }, [own])).toBe(own);
    expect(calledTool({ name: 'pay' }, [])).toBeUndefined();
  });
});
