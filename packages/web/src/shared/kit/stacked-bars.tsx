import { type ReactNode, useState } from 'react'
import { Segments } from './segments.tsx'
import { Table } from './table.tsx'

/** Colours of a chart; grey is for what has no name of its own. */
const fills = {
  one: ['fill-chart-1', 'bg-chart-1'],
  two: ['fill-chart-2', 'bg-chart-2'],
  three: ['fill-chart-3', 'bg-chart-3'],
  four: ['fill-chart-4', 'bg-chart-4'],
  rest: ['fill-chart-5', 'bg-chart-5'],
  ok: ['fill-ok', 'bg-ok'],
  failed: ['fill-failed', 'bg-failed'],
} as const

export type Fill = keyof typeof fills

export type Series = { name: string; fill: Fill }
/** One bar. `values` has a number for each series, from the bottom up. */
export type Bar = { key: string; label: string; values: readonly number[] }

type StackedBarsProps = {
  /** What the chart shows: "Costs by day". */
  caption: string
  series: readonly Series[]
  bars: readonly Bar[]
  format: (value: number) => string
  /** What a bar is: "Day". */
  barLabel: string
  /** False for shares, where the sum of a bar says nothing. */
  hasSums?: boolean
}

const height = 168

/** Bars over time, each a stack of series. The table behind them has the same numbers. */
export function StackedBars(props: StackedBarsProps): ReactNode {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const { caption, series } = props
  return (
    <div className="flex flex-col gap-3 p-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm" aria-label={`Legend of ${caption}`}>
          {series.map(({ name, fill }) => (
            <li key={name} className="flex min-w-0 items-center gap-1.5">
              <span className={`size-2.5 shrink-0 rounded-sm ${fills[fill][1]}`} />
              <span className="truncate">{name}</span>
            </li>
          ))}
        </ul>
        <Segments
          label={`View of ${caption}`}
          value={view}
          onChange={setView}
          options={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </div>
      {view === 'chart' ? <Chart {...props} /> : <Numbers {...props} />}
    </div>
  )
}

function Chart({ caption, series, bars, format, hasSums = true }: StackedBarsProps): ReactNode {
  const totals = bars.map(({ values }) => sumOf(values))
  const top = roundUp(Math.max(...totals, 0))
  const scale = height / (top || 1)
  const ticks = [top, top / 2, 0]
  const sums = hasSums ? `, ${format(sumOf(totals))} in all, at most ${format(Math.max(...totals, 0))}` : ''
  const summary = `${caption}: ${bars.length} bars${sums}. The table has each number.`
  return (
    <figure className="m-0">
      <div className="flex gap-2">
        <div
          aria-hidden="true"
          className="tabular flex flex-col justify-between whitespace-nowrap text-right text-faint text-xs"
          style={{ height }}
        >
          {ticks.map((tick) => (
            <span key={tick} className="-translate-y-1/2 leading-none first:translate-y-0 last:translate-y-0">
              {format(tick)}
            </span>
          ))}
        </div>
        <svg role="img" aria-label={summary} width="100%" height={height} className="min-w-0 overflow-visible">
          {ticks.map((tick) => (
            <line
              key={tick}
              x1="0"
              x2="100%"
              y1={height - tick * scale}
              y2={height - tick * scale}
              className="stroke-line"
            />
          ))}
          {bars.map((bar, index) => {
            const x = `${((index + 0.12) / bars.length) * 100}%`
            const width = `${(0.76 / bars.length) * 100}%`
            let y = height
            return (
              <g key={bar.key} data-tip={tipOf(bar, series, { format, hasSums })} className="group">
                {series.map(({ name, fill }, at) => {
                  const tall = (bar.values[at] ?? 0) * scale
                  y -= tall
                  return tall > 0 ? (
                    <rect key={name} x={x} y={y} width={width} height={tall} className={`${fills[fill][0]}`} />
                  ) : null
                })}
                <rect
                  x={`${(index / bars.length) * 100}%`}
                  width={`${100 / bars.length}%`}
                  height={height}
                  className="fill-text opacity-0 group-hover:opacity-5"
                />
              </g>
            )
          })}
        </svg>
      </div>
      <div aria-hidden="true" className="mt-1.5 flex justify-between pl-10 text-faint text-xs">
        {[...new Set([0, Math.floor((bars.length - 1) / 2), bars.length - 1])].map((index) => (
          <span key={index}>{bars[index]?.label}</span>
        ))}
      </div>
    </figure>
  )
}

function Numbers({ caption, series, bars, format, barLabel, hasSums = true }: StackedBarsProps): ReactNode {
  return (
    <div className="max-h-96 overflow-y-auto">
      <Table
        caption={caption}
        rows={bars.filter(({ values }) => sumOf(values) > 0).toReversed()}
        keyOf={({ key }) => key}
        columns={[
          { name: 'bar', label: barLabel, cell: ({ label }) => <span className="whitespace-nowrap">{label}</span> },
          ...series.map(({ name }, at) => ({
            name: `series ${name}`,
            label: name,
            isNumber: true,
            cell: ({ values }: Bar) => format(values[at] ?? 0),
          })),
          ...(hasSums
            ? [{ name: 'total', label: 'Total', isNumber: true, cell: ({ values }: Bar) => format(sumOf(values)) }]
            : []),
        ]}
      />
    </div>
  )
}

type Words = Required<Pick<StackedBarsProps, 'format' | 'hasSums'>>

function tipOf({ label, values }: Bar, series: readonly Series[], { format, hasSums }: Words): string {
  const parts = series.flatMap(({ name }, at) => (values[at] ? [`${name} ${format(values[at])}`] : []))
  return `${label}: ${hasSums && parts.length > 1 ? `${format(sumOf(values))} · ` : ''}${parts.join(' · ') || format(0)}`
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The next of 1, 2, 4, 5, 8, 10 times a power of ten, so that the half of it is a short number too. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 4, 5, 8, 10].find((step) => step * power >= value) ?? 10)
}
