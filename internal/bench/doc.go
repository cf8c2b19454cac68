// Command bench measures what Sluice promises about speed and prints one line per figure:
//
//	BENCH name value unit [floor=value ratio=value]
//
// Every figure is the median of several measurements of one run on one machine; floors are measured in between, so that
// ratios mean something. It drives the real engine on the real store and must not be imported.
package main
