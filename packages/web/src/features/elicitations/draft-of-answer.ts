/** The name of the draft that keeps what a person fills in before they answer a question. */
export function draftOfAnswer(question: number | ''): string {
  return `question.${question}`
}
