package view

// Answers returns the placements of a highlight as a page shows them.
var Answers = answers

// Split divides an address where a line may break.
var Split = split
