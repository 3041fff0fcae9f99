import { Conversation } from '../conversation/conversation.js';
import { Empty } from '../parts/region.js';
import type { SessionModel } from './model.js';

/** What was said up to the event that is looked at. */
export function ConversationTab({ model }: { readonly model: SessionModel }) {
  const { store } = model;
  const at = model.at.value;
  const isAtEnd = at === model.last.value && store.state.value !== 'erased';
  const hasRun = [...store.story.runs.values()].some(({ from }) => from <= at);
  if (!hasRun && model.ancestors.value.length === 0)
    return <Empty title="Nothing said yet" sentence="No message was sent up to this event." />;
  return (
    <Conversation
      session={store.session}
      events={store.events}
      version={store.replaced.value + (isAtEnd ? store.version.value : 0)}
      upTo={at}
      inherited={model.before.value}
      isLive={isAtEnd}
    />
  );
}
