import { z } from 'zod'

const sessionClass = z.enum(['spot', 'priority']).optional()

/** The kinds of origin whose class an operator may move; the class of a trigger-backed kind is set per trigger. */
const GenesisClassOverrides = z
  .strictObject({
    web_ui: sessionClass.meta({ description: 'Of sessions made in the dashboard.' }),
    api: sessionClass.meta({ description: 'Of sessions made by this API.' }),
    unknown: sessionClass.meta({ description: 'Of sessions whose origin is not recorded.' }),
  })
  .meta({ description: 'Class of sessions by origin, where it differs from the default.' })

const percent = z.int().min(0).max(100)

export const Settings = z
  .object({
    default_runtime: z.string().nullable().meta({ description: 'Runtime of a session that names none.' }),
    default_model: z.string().nullable().meta({ description: 'Model of a session that names none.' }),
    spot_gating_enabled: z
      .boolean()
      .meta({ description: 'Whether spot sessions wait for a free slot, and wait and pause at the quota targets.' }),
    spot_max_concurrent_sessions: z
      .int()
      .min(1)
      .max(100)
      .meta({ description: 'Sessions running at once before spot ones wait; priority ones count but never wait.' }),
    spot_gate_five_hour_threshold_pct: percent.meta({
      description: 'Use of the 5-hour quota at which spot work waits.',
    }),
    spot_gate_weekly_threshold_pct: percent.meta({ description: 'Use of the weekly quota at which spot work waits.' }),
    genesis_class_overrides: GenesisClassOverrides,
    uncategorized_position: z.int().min(0).meta({ description: 'Place of the Uncategorized section on the board.' }),
    mcp_tool_search_enabled: z.boolean().meta({
      description:
        'Whether agents may search for tools of their MCP servers; otherwise Claude Code gets all of them at once.',
    }),
  })
  .meta({ id: 'Settings' })

export type Settings = z.infer<typeof Settings>

/** `uncategorized_position` moves only by reordering categories, so that there is one way to set it. */
export const SettingsChanges = Settings.omit({ uncategorized_position: true }).partial()

export type SettingsChanges = z.infer<typeof SettingsChanges>
