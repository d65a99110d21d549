import { onSession, type Tool } from '../tool.ts'

const armed = { shows: ['message', 'trigger'] }

export const tools: readonly Tool[] = [
  {
    name: 'wake_me_up_later',
    groups: ['triggers', 'self_session'],
    about: 'Sleep, and be woken with a prompt at a time. Your turn has to end for you to sleep.',
    calls: { arm: onSession('POST /sessions/{id}/wake_later', armed) },
    choose: () => 'arm',
  },
  {
    name: 'wake_me_up_when_session_changes_state',
    groups: ['triggers', 'self_session'],
    about: 'Sleep, and be woken with a prompt when another session needs input, failed or was archived.',
    calls: {
      arm: onSession('POST /sessions/{id}/wake_on_event', { ...armed, reaches: ['watched_session_id'] }),
    },
    choose: () => 'arm',
  },
]
