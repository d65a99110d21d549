/** One row for each fault. Each figure is the worst of all seeds. */
export function table(rows) {
  const head = [
    'fault',
    'seeds',
    'lost',
    'doubled',
    'overlaps',
    'worst recovery (s)',
    'verdict',
    'what',
    'worst figures',
  ]
  const cells = rows.map((row) => [
    row.name,
    String(row.seeds),
    String(row.lost),
    String(row.doubled),
    String(row.overlaps),
    row.recoverySeconds?.toFixed(1) ?? '-',
    row.hasPassed ? 'passed' : 'MISSED',
    row.what,
    Object.entries(row.figures)
      .map(([name, figure]) => `${name} ${Number.isInteger(figure) ? figure : figure.toFixed(1)}`)
      .join(', '),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((line) => line[column].length)))
  const line = (texts) => `| ${texts.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const problems = rows.flatMap(({ name, problems }) => problems.map((problem) => `${name} ${problem}`))
  return [line(head), rule, ...cells.map(line), ...(problems.length > 0 ? ['', ...problems] : [])].join('\n')
}
